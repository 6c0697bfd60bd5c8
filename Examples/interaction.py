#!/usr/bin/env python3
"""A front end for ctap-bridge at a terminal: interaction.py COMMAND [OPTIONS], as for ctap-bridge itself."""
import getpass, json, os, subprocess, sys, threading

WHY = {"wrong": "That PIN is wrong. ", "insteadOfBuiltIn": "Your finger can't be used now. "}


def say(text, end="\n"):  # names come from keys and servers: nothing in them may disturb the terminal
    safe = "".join(c if c.isprintable() else f"\\u{ord(c):04x}" for c in str(text))
    print(safe, end=end, file=sys.stderr, flush=True)


def ask(prompt, secret=False):
    say(prompt, end="")
    if secret and sys.stdin.isatty():
        return getpass.getpass("")
    line = sys.stdin.readline()
    if not line:
        raise EOFError
    return line.rstrip("\n")


def value(event):
    """What the person answers to a question."""
    kind = event["event"]
    if kind == "pinNeeded":
        why = event["text"] or WHY.get(event["reason"], "")
        return ask(f"{why}PIN of {event['key']['product']} ({event['retriesLeft']} tries left): ", secret=True)
    if kind == "newPINNeeded":
        while (pin := ask("New PIN: ", secret=True)) != ask("The same again: ", secret=True):
            say("The two differ.")
        return pin
    if kind == "nameNeeded":
        return ask(f"Name for this key [{event['suggestion']}]: ")
    if kind == "accountNeeded":
        for index, account in enumerate(event["accounts"]):
            say(f"  {index}  {account['name'] or account['userHandle']}")
        choice = ask("Account: ")
        return int(choice) if choice.isdecimal() else None
    if kind == "confirmationNeeded":
        wanted = event["phrase"] or "yes"
        return ask(f"{event['consequences']} Type {wanted}: ") == wanted and (event["phrase"] or True)
    return ask("Press Enter to touch the virtual key: ") == ""


def answer(bridge, event):
    try:
        message = {"type": "answer", "id": event["id"], "value": value(event)}
    except EOFError:
        message = {"type": "cancel"}
    print(json.dumps(message), file=bridge.stdin, flush=True)


words = [os.environ.get("CTAP_BRIDGE", "ctap-bridge"), *sys.argv[1:], "--interaction", "json"]
bridge = subprocess.Popen(words, stdin=subprocess.PIPE, stderr=subprocess.PIPE, encoding="utf-8")
for event in map(json.loads, bridge.stderr):
    if "id" in event and event["event"].endswith("Needed"):
        # On a thread of its own, so that a question that is over doesn't keep the end from being seen.
        threading.Thread(target=answer, args=(bridge, event), daemon=True).start()
    elif event["event"] == "touchNeeded":
        say(f"Touch {event['key']['product']} now.")
    elif text := event.get("text") or event.get("reason"):
        say(text)
os._exit(bridge.wait())
