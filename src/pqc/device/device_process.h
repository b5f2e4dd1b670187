// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#ifndef SLHCONSENSUS_PQC_DEVICE_DEVICE_PROCESS_H
#define SLHCONSENSUS_PQC_DEVICE_DEVICE_PROCESS_H

#include <pqc/device/device_choice.h>
#include <pqc/device/protocol.h>
#include <util/descriptor.h>

#include <chrono>
#include <functional>
#include <stop_token>
#include <string>
#include <string_view>

#include <sys/types.h>

namespace slhc::slhdsa {

/** The program that DeviceOptions::program names, or else "slhgpu" in the folder of this library (or of the program that contains it), in
 *  ../libexec or ../../libexec from there, or in the libexec folder that this library was built for: the first that only this user or root
 *  can change, its folder too.
 *  @throws NoDevices that names all of them if it is in none; a program that was named is not looked for */
[[nodiscard]] std::string FindDeviceProgram(const std::string& named);

/** A process that runs a device's driver, and the socket to it. It ends with this object, or with the process that made it. Not
 *  thread-safe, but for Kill(), Id() and Send(). */
class DeviceProcess
{
public:
    /** Start the program and hear what it says first.
     *  @param[in] stop   ends every wait
     *  @param[in,out] left  the time for it, less what it took
     *  @throws DeviceError if it cannot be started, is of another version or does not answer in time */
    DeviceProcess(const std::string& program, std::stop_token stop, std::chrono::nanoseconds& left);
    /** Kills the process. */
    ~DeviceProcess();
    DeviceProcess(const DeviceProcess&) = delete;
    DeviceProcess& operator=(const DeviceProcess&) = delete;

    [[nodiscard]] const std::string& Program() const noexcept { return m_program; }
    /** For people: whoever waits for children of the process around this one may have given the number to another. */
    [[nodiscard]] pid_t Id() const noexcept { return m_id; }
    /** Readable once the process has ended. */
    [[nodiscard]] int ProcessDescriptor() const noexcept { return m_process.Get(); }
    /** Readable when there is something to receive. */
    [[nodiscard]] int SocketDescriptor() const noexcept { return m_socket.Get(); }
    void Kill() noexcept;

    /** Gets the messages of the validation layer, once it is set. */
    std::function<void(const std::string& message)> on_validation_message;

    /** Never waits.
     *  @param[in] fd  a descriptor to hand over, -1: none */
    [[nodiscard]] LinkStatus Send(const DeviceRequest& request, std::string_view text = {}, int fd = -1) noexcept;

    /** Wait for a reply. Each of at least ten looks costs no more of the time than it was meant to last, so that a process that was
     *  stopped (both are, in a machine that pauses) goes on with what it had left.
     *  @param[in,out] left  the time for it, less what it took
     *  @param[out] text  the program's, see OneLine()
     *  @return OK, LATE, LOST, INTERRUPTED, or ERROR for something else than a reply */
    [[nodiscard]] LinkStatus Receive(DeviceReply& reply, std::string& text, std::chrono::nanoseconds& left) noexcept;

    /** The same for a reply of one kind. @throws DeviceError */
    [[nodiscard]] DeviceReply Ask(const DeviceRequest& request, DeviceReply::Kind kind, std::string& text, std::chrono::nanoseconds& left,
                                  std::string_view request_text = {}, int fd = -1);

private:
    void End() noexcept;
    DeviceReply Expect(DeviceReply::Kind kind, std::string& text, std::chrono::nanoseconds& left);
    LinkStatus Read(DeviceReply& reply, std::string& text) noexcept;

    const std::string m_program;
    const std::stop_token m_stop;
    Descriptor m_socket;
    Descriptor m_process; //!< none if it ended so soon that its number may be another's
    pid_t m_id{0};
};

} // namespace slhc::slhdsa

#endif // SLHCONSENSUS_PQC_DEVICE_DEVICE_PROCESS_H
