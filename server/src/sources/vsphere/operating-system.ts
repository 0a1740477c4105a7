import { osTypeOf } from '../shared/os-type.ts'
import type { Machine } from './machine.ts'

/** What VMware Tools reports of the running system, else the configured one. */
export function operatingSystemOf(machine: Machine): { os_type: string; os_name: string } {
  const configured = osTypeOf(machine.text('config.guestId'))
  // VMware Tools knows few families, and without them vSphere may guess.
  const areToolsRunning = machine.text('guest.toolsRunningStatus') === 'guestToolsRunning'
  const family = areToolsRunning ? osTypeOf(machine.text('guest.guestFamily')) : ''
  const isUnix = family === 'Linux' && configured !== '' && configured !== 'Windows'
  return {
    os_type: isUnix || family === '' ? configured : family,
    os_name: machine.text('guest.guestFullName') || machine.text('config.guestFullName'),
  }
}
