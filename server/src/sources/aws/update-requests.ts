import { ActionError, type ServerUpdate } from '../../domain/sources/action-port.ts'
import type { Request } from './action-client.ts'

const shutdownBehaviors: ReadonlySet<string> = new Set(['stop', 'terminate'])

/** One request per field: EC2 changes one attribute at a time. */
export function updateRequests(changes: ServerUpdate, id: string): readonly Request[] {
  const { name, shutdown_behavior: behavior, disable_delete: isProtected, ...others } = changes
  const [unknown] = Object.keys(others)
  if (unknown !== undefined) throw new ActionError('unsupported', `EC2 cannot change ${unknown}.`)
  if (behavior !== undefined && !shutdownBehaviors.has(behavior)) {
    throw new ActionError(
      'unsupported',
      `EC2 knows no shutdown_behavior ${JSON.stringify(behavior)}: use stop or terminate.`,
    )
  }
  const requests: Request[] = []
  if (name !== undefined) {
    requests.push((ec2, options) =>
      ec2.createTags({ Resources: [id], Tags: [{ Key: 'Name', Value: name }] }, options),
    )
  }
  if (behavior !== undefined) {
    requests.push((ec2, options) =>
      ec2.modifyInstanceAttribute(
        { InstanceId: id, Attribute: 'instanceInitiatedShutdownBehavior', Value: behavior },
        options,
      ),
    )
  }
  if (isProtected !== undefined) {
    requests.push((ec2, options) =>
      ec2.modifyInstanceAttribute(
        { InstanceId: id, DisableApiTermination: { Value: isProtected } },
        options,
      ),
    )
  }
  return requests
}
