import { ActionError, type SourceRequest } from '../../domain/sources/action-port.ts'
import { SourceError } from '../../domain/sources/source-error.ts'
import { listOf, objectOf, textOf, type Json } from '../shared/json.ts'
import { minorOf, type Compute } from './compute.ts'

/** The first microversion that changes whether a volume is deleted with its server. */
const firstToUpdate = 85

const isTrue = (text: string) => /^(?:true|ro)$/i.test(text)

/** Whether only this server uses a volume, so that it can be deleted with it. */
function isExclusive(volume: Json, serverId: string): boolean {
  const metadata = objectOf(volume, 'metadata')
  const isReadOnly = ['readonly', 'attached_mode'].some((name) => isTrue(textOf(metadata, name)))
  return (
    volume['multiattach'] !== true &&
    !isReadOnly &&
    listOf(volume, 'attachments').every((each) => textOf(each, 'server_id') === serverId)
  )
}

async function readVolume({ client }: Compute, id: string, signal: AbortSignal): Promise<Json> {
  try {
    const path = `/volumes/${encodeURIComponent(id)}`
    const request = { service: 'volume', path, action: 'read a volume' } as const
    return objectOf((await client.send(request, signal)).json, 'volume')
  } catch (error) {
    if (signal.aborted || !(error instanceof SourceError)) throw error
    throw new ActionError(
      'failed',
      `Muster cannot delete the disks: it cannot see whether another server uses volume ${id}. ${error.message}`,
      { cause: error },
    )
  }
}

/**
 * The requests that make Nova delete all volumes with a server, or none of them. Nova deletes the volumes that
 * are marked for it. Volumes that others may use are never deleted.
 */
export async function markVolumes(
  compute: Compute,
  server: Json,
  isDeleted: boolean,
  signal: AbortSignal,
): Promise<readonly SourceRequest[]> {
  const { microversion } = compute
  const serverId = textOf(server, 'id')
  const requests: SourceRequest[] = []
  for (const attached of listOf(server, 'os-extended-volumes:volumes_attached')) {
    const id = textOf(attached, 'id')
    const mark = isDeleted && isExclusive(await readVolume(compute, id, signal), serverId)
    // Nova before 2.3 does not tell.
    if (attached['delete_on_termination'] === mark) continue
    if (minorOf(microversion) < firstToUpdate) {
      throw new ActionError(
        'unsupported',
        `Nova before version 21 (Ussuri) cannot change whether volume ${id} is deleted with the server. Detach it first.`,
      )
    }
    requests.push({
      name: 'update-volume-attachment',
      target: id,
      data: { delete_on_termination: mark },
    })
  }
  return requests
}
