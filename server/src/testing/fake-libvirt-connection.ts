import assert from 'node:assert/strict'
import type { TestContext } from 'node:test'
import { SourceError } from '../domain/sources/source-error.ts'
import type { SourceSettings } from '../domain/sources/source.ts'
import { createAddressRule } from '../egress/allowed-addresses.ts'
import { createEgress } from '../egress/egress.ts'
import { libvirtKind } from '../sources/libvirt/libvirt-kind.ts'
import type { FakeDomain } from './fake-libvirt-responses.ts'
import type { FakeLibvirt } from './fake-libvirt.ts'

export const uuidOf = (number: number) =>
  `00000000-0000-4000-8000-${String(number).padStart(12, '0')}`
export const domain = (number: number, changes: Partial<FakeDomain> = {}): FakeDomain => ({
  uuid: uuidOf(number),
  name: `guest-${number}`,
  ...changes,
})
export const some = [domain(1), domain(2, { state: 5 }), domain(3)]

const egress = createEgress(createAddressRule(['127.0.0.0/8', '::1', 'localhost']))
const world = (timeLimit = 10_000, accountId?: string) => ({
  ...(accountId !== undefined && { accountId }),
  egress,
  throttle: async () => {},
  timeLimit,
  clock: Date.now,
})
export const soon = () => AbortSignal.timeout(60_000)

/** Opens a connection to a fake libvirt for the duration of the test. */
export async function openAt(
  context: TestContext,
  { address }: Pick<FakeLibvirt, 'address'>,
  changes: Partial<SourceSettings> = {},
  timeLimit?: number,
  accountId?: string,
) {
  const settings = { address, credentials: {}, options: {}, ...changes }
  assert.deepEqual(libvirtKind.check(settings), [])
  const source = await libvirtKind.open(settings, world(timeLimit, accountId), soon())
  context.after(() => source.close())
  return source
}

export const isSourceError =
  (kind: RegExp, message = /./) =>
  (error: unknown) => {
    assert.ok(error instanceof SourceError, String(error))
    assert.match(error.kind, kind, error.message)
    assert.match(error.message, message)
    return true
  }

/** Turns of the event loop in which everything else is answered. */
const quietTurns = 100

/** Lets a time limit expire as soon as only this call is unanswered, however busy the machine is. */
export async function passTimeLimit<Result>(
  { mock }: TestContext,
  { requests }: Pick<FakeLibvirt, 'requests'>,
  procedure: number,
  act: () => Promise<Result>,
): Promise<Result> {
  const count = () => requests.filter((one) => one === procedure).length
  const before = count()
  mock.timers.enable({ apis: ['setTimeout'] })
  try {
    const result = act()
    let sent = 0
    for (let quiet = 0; count() === before || quiet < quietTurns; quiet += 1) {
      await new Promise(setImmediate)
      if (requests.length > sent) quiet = 0
      sent = requests.length
    }
    mock.timers.tick(100_000)
    return await result
  } finally {
    mock.timers.reset()
  }
}
