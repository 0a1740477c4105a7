import type { ServerResponse } from 'node:http'
import { refuse, succeed, type FakeEc2 } from './fake-ec2.ts'

/** How an instance responds to requests that change it. */
export type Manner =
  | 'honest'
  /** Accepts and does nothing. */
  | 'lies'
  /** Never responds and does nothing. */
  | 'hangs'
  /** Carries the request out and never responds. */
  | 'silent'
  /** Carries it out and responds after the time limit of a request. */
  | 'late'
  /** Carries it out and closes the connection. */
  | 'drops'
  /** An error code of EC2. */
  | { readonly refuses: string }

export interface Change {
  readonly time: number
  readonly action: string
  readonly id: string
  readonly isForced: boolean
}

export interface Shown {
  readonly time: number
  readonly state: string
  readonly type: string
}

interface Options {
  /** Milliseconds until an instance shows the result. */
  readonly delay: number
  /** Milliseconds until the response; drawn for each request. */
  readonly latency: () => number
  readonly lateAfter: number
}

const changes: Readonly<Record<string, readonly [through: string, to: string]>> = {
  StartInstances: ['pending', 'running'],
  StopInstances: ['stopping', 'stopped'],
  RebootInstances: ['running', 'running'],
  TerminateInstances: ['shutting-down', 'terminated'],
}

/**
 * Lets the fake EC2 start, stop, reboot, resize and terminate instances. It runs outside of Muster and
 * records each request that arrives and each state that an instance reaches.
 */
export function letAct(ec2: FakeEc2, { delay, latency, lateAfter }: Options) {
  const received: Change[] = []
  const shown = new Map<string, Shown[]>()
  const manners = new Map<string, Manner>()

  function show(id: string, changed: { state?: string; type?: string }): void {
    const instance = { ...(ec2.instances.get(id) ?? { name: id }), ...changed }
    ec2.instances.set(id, instance)
    const { state = 'running', type = 't3.micro' } = instance
    shown.set(id, [...(shown.get(id) ?? []), { time: Date.now(), state, type }])
  }

  function carryOut(action: string, id: string, type: string | null): void {
    if (action === 'ModifyInstanceAttribute') return show(id, { ...(type !== null && { type }) })
    const [through, to] = changes[action] ?? ['', '']
    show(id, { state: through })
    setTimeout(() => show(id, { state: to }), delay).unref()
  }

  function respond(action: string, manner: Manner, response: ServerResponse): void {
    if (manner === 'hangs' || manner === 'silent') return
    if (manner === 'drops') return void response.socket?.destroy()
    if (typeof manner === 'object') return void refuse(response, 400, manner.refuses)
    setTimeout(() => succeed(response, action), manner === 'late' ? lateAfter : latency()).unref()
  }

  ec2.misbehave = ({ action, form }, response) => {
    if (!(action in changes) && action !== 'ModifyInstanceAttribute') return false
    const id = form.get('InstanceId.1') ?? form.get('InstanceId') ?? ''
    received.push({ time: Date.now(), action, id, isForced: form.get('Force') === 'true' })
    const manner = manners.get(id) ?? 'honest'
    const acts = typeof manner === 'string' && manner !== 'lies' && manner !== 'hangs'
    if (acts) carryOut(action, id, form.get('InstanceType.Value'))
    respond(action, manner, response)
    return true
  }

  return { received, shown, manners, show }
}
export type ActingEc2 = ReturnType<typeof letAct>
