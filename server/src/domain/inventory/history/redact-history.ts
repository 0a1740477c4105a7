import type { Server } from '@muster/contract'
import { createAuditEvent } from '../../identity/create-audit-event.ts'
import type { EventRecord } from '../../audit/event.ts'
import type { Clock } from '../../clock.ts'
import { badField, PlatformError } from '../../error.ts'
import type { Caller } from '../../identity/caller.ts'
import { serverNotFound } from '../get-server.ts'
import { origins } from '../metadata.ts'
import type { ServerWrite, ServerWriter, StoredServer } from '../ports.ts'
import { renderServer } from '../render-server.ts'
import { conflicted } from '../../retry-on-conflict.ts'
import { timestamp } from '../../timestamp.ts'

const replacement = '[redacted]'

/** How many stored changes and events had the value. */
interface Redacted {
  readonly changes: number
  readonly events: number
}

/** A text in a field or tag of a server. */
export interface RedactedText {
  readonly field: string
  readonly value: string
}

export interface RedactionStore {
  /**
   * Replaces a text in the changes of a server and in the events about it, and stores the event. Returns undefined
   * if there is neither the server nor a change of it.
   */
  redact(
    serverId: string,
    text: RedactedText,
    replacement: string,
    event: EventRecord,
  ): Promise<Redacted | undefined>
}

interface Dependencies {
  readonly redactions: RedactionStore
  readonly serverWriter: Pick<ServerWriter, 'findStored' | 'write'>
  readonly clock: Clock
}

/** People write these. A moment could not be rebuilt if other fields lost their values. */
const writtenFields: readonly string[] = ['name', 'description'] satisfies (keyof Server)[]
const isWritten = (field: string) =>
  writtenFields.includes(field) ||
  [origins.own, origins.source].some((origin) => field.startsWith(origin))

const currentValue = ({ metadata, ...server }: Server, field: string): string =>
  metadata[field] ?? (server as unknown as Readonly<Record<string, string>>)[field] ?? ''

/** Nobody can change a deleted server, which is stored for some time. */
function redactDeleted(
  stored: StoredServer,
  { field, value }: RedactedText,
  now: number,
): ServerWrite {
  const { server: before } = stored
  const redacted = currentValue(before, field).replaceAll(value, () => replacement)
  const server = {
    ...before,
    ...(field in before.metadata
      ? { metadata: { ...before.metadata, [field]: redacted } }
      : { [field]: redacted }),
    update_version: before.update_version + 1,
    updated_at: timestamp(now),
  }
  return { stored, server, factsDigest: stored.factsDigest, rendered: renderServer(server) }
}

/** Removes a value, such as a password in a tag, from what is stored of the past of a server. */
export function createRedactHistory(dependencies: Dependencies) {
  const { redactions, serverWriter, clock } = dependencies
  return async function redactHistory(caller: Caller, id: string, text: RedactedText) {
    if (!isWritten(text.field)) {
      throw badField('field', `must be a tag, or one of ${writtenFields.join(', ')}`)
    }
    const stored = (await serverWriter.findStored([id])).get(id)
    if (stored && currentValue(stored.server, text.field).includes(text.value)) {
      if (!stored.server.deleted) {
        throw new PlatformError(
          'InvalidStatusError',
          'The server has this value now. Change it first, at the source if it comes from there.',
        )
      }
      // The change that this makes is redacted with the others.
      if (!(await serverWriter.write([redactDeleted(stored, text, clock())]))) {
        throw conflicted('The server')
      }
    }
    const event = createAuditEvent(
      caller,
      {
        action: 'redact',
        targetType: 'server',
        targetId: id,
        targetName: stored?.server.deleted === false ? stored.server.name : '',
        scope: { kind: 'system' },
        changes: { [text.field]: [replacement, replacement] },
      },
      clock,
    )
    const redacted = await redactions.redact(id, text, replacement, event)
    if (!redacted) throw serverNotFound()
    return redacted
  }
}
export type RedactHistory = ReturnType<typeof createRedactHistory>
