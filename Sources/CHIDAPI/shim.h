#pragma once
#include <hidapi.h>
