import type { Machine } from './machine.ts'

/** The first match applies; ids that match none are distributions of Linux. */
const types: readonly (readonly [RegExp, string])[] = [
  [/^win/i, 'Windows'],
  [/^darwin/i, 'macOS'],
  [/^freebsd/i, 'FreeBSD'],
  [/^solaris/i, 'Solaris'],
  [/^vmkernel/i, 'VMware'],
  [/linux/i, 'Linux'],
  [/^(?:other|dos|os2|netware|eCom|openServer|unixWare|$)/i, ''],
]

/** What VMware Tools reports of the running system, else the configured one. */
export function operatingSystemOf(machine: Machine): { os_type: string; os_name: string } {
  const family = machine.text('guest.guestFamily')
  const id = /^(?:windows|linux)/.test(family) ? family : machine.text('config.guestId')
  return {
    os_type: (types.find(([form]) => form.test(id)) ?? [undefined, 'Linux'])[1],
    os_name: machine.text('guest.guestFullName') || machine.text('config.guestFullName'),
  }
}
