import { changingProcedures } from '../sources/libvirt/protocol.ts'
import { readDomainHandle } from '../sources/libvirt/records.ts'
import type { FakeLibvirt } from './fake-libvirt.ts'

type Procedure = keyof typeof changingProcedures

interface DomainChange {
  readonly time: number
  readonly procedure: Procedure
  readonly uuid: string
}

/** The states that domains reach, as libvirt numbers them. */
export const domainStates = { running: 1, paused: 3, off: 5, gone: -1 } as const
type State = (typeof domainStates)[keyof typeof domainStates]

const reached: Readonly<Partial<Record<Procedure, State>>> = {
  domainCreate: domainStates.running,
  domainShutdown: domainStates.off,
  domainDestroy: domainStates.off,
  domainReset: domainStates.running,
  domainSuspend: domainStates.paused,
  domainResume: domainStates.running,
  domainUndefineFlags: domainStates.gone,
}

/**
 * Lets the fake libvirt start, stop, reset, suspend, resume and undefine domains. It records each request
 * that arrives and each state that a domain reaches, `delay` milliseconds later.
 */
export function letDomainsAct(libvirt: FakeLibvirt, delay: number) {
  const received: DomainChange[] = []
  const shown = new Map<string, { readonly time: number; readonly state: State }[]>()

  function show(uuid: string, state: State): void {
    const domain = libvirt.domains.get(uuid)
    if (!domain) return
    if (state === domainStates.gone) libvirt.domains.delete(uuid)
    else libvirt.domains.set(uuid, { ...domain, state })
    shown.set(uuid, [...(shown.get(uuid) ?? []), { time: Date.now(), state }])
  }

  for (const [procedure, state] of Object.entries(reached) as [Procedure, State][]) {
    libvirt.answers[changingProcedures[procedure]] = (request) => {
      const { uuid } = readDomainHandle(request)
      received.push({ time: Date.now(), procedure, uuid })
      setTimeout(() => show(uuid, state), delay).unref()
    }
  }
  return { received, shown }
}
export type ActingLibvirt = ReturnType<typeof letDomainsAct>
