import { badField } from '../../error.ts'
import type { ChangeMarker } from './ports.ts'

export const writeChangeId = ({ time, serverId }: ChangeMarker): string =>
  Buffer.from(JSON.stringify([time, serverId])).toString('base64url')

/** The values of an opaque text, which anybody can have made. */
export function readOpaque(text: string): readonly unknown[] {
  try {
    const parts: unknown = JSON.parse(Buffer.from(text, 'base64url').toString())
    return Array.isArray(parts) ? (parts as unknown[]) : []
  } catch {
    return []
  }
}

/** `source` is where clients find it. */
export function readChangeId(text: string, field: string, source: string): ChangeMarker {
  const [time, serverId, ...others] = readOpaque(text)
  if (!Number.isSafeInteger(time) || typeof serverId !== 'string' || others.length > 0) {
    throw badField(field, `is invalid. Take it from ${source}.`)
  }
  return { time: time as number, serverId: serverId.replaceAll('\0', '') }
}
