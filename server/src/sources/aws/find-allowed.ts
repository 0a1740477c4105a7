import { ActionError, type SourceAction } from '../../domain/sources/action-port.ts'
import { WouldSucceed } from './action-refusal.ts'
import type { Ec2Request } from './action-requests.ts'

/** Requests that EC2 only checks, and the actions that need them. */
const dryRuns: readonly (readonly [readonly SourceAction[], (id: string) => Ec2Request])[] = [
  [['start'], (id) => (ec2, o) => ec2.startInstances({ InstanceIds: [id], DryRun: true }, o)],
  [['stop'], (id) => (ec2, o) => ec2.stopInstances({ InstanceIds: [id], DryRun: true }, o)],
  [['restart'], (id) => (ec2, o) => ec2.rebootInstances({ InstanceIds: [id], DryRun: true }, o)],
  [['delete'], (id) => (ec2, o) => ec2.terminateInstances({ InstanceIds: [id], DryRun: true }, o)],
  [
    ['update'],
    (id) => (ec2, o) =>
      ec2.createTags({ Resources: [id], Tags: [{ Key: 'Name', Value: '' }], DryRun: true }, o),
  ],
  [
    ['change-config', 'delete', 'update'],
    (id) => (ec2, o) =>
      ec2.modifyInstanceAttribute(
        { InstanceId: id, DisableApiTermination: { Value: false }, DryRun: true },
        o,
      ),
  ],
]

/** Which actions the access key may do with an instance. */
export async function findAllowed(send: (request: Ec2Request) => Promise<unknown>, id: string) {
  const allowed: Partial<Record<SourceAction, boolean>> = {}
  for (const [actions, requestFor] of dryRuns) {
    try {
      await send(requestFor(id))
    } catch (error) {
      const isDenied = error instanceof ActionError && error.kind === 'denied'
      // Any other refusal does not tell whether it is allowed.
      if (error instanceof ActionError && !isDenied) continue
      if (!isDenied && !(error instanceof WouldSucceed)) throw error
      for (const action of actions) allowed[action] = !isDenied && allowed[action] !== false
    }
  }
  return allowed
}
