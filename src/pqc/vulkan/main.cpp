// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#include <pqc/vulkan/device_server.h>
#include <pqc/vulkan/gpu.h>

#include <cstdio>

#include <sys/stat.h>

/** slhgpu: runs a Vulkan driver for a process that verifies signatures, see protocol.h. */
int main()
{
    using namespace slhc::slhdsa;
    struct stat info;
    if (fstat(DEVICE_SOCKET, &info) != 0 || !S_ISSOCK(info.st_mode)) {
        std::fprintf(stderr, "%.*s: the library libslhconsensus starts this program for itself\n", static_cast<int>(DEVICE_GREETING.size()),
                     DEVICE_GREETING.data());
        return 2;
    }
    static DeviceServer<vulkan::Gpu> server; // not destroyed: its threads do not end before the process
    server.Run();
}
