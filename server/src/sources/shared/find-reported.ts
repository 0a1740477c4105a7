import { isDeepStrictEqual } from 'node:util'
import type {
  ReportedServer,
  ServerKey,
  SourceUpdate,
  UnreadableServer,
} from '../../domain/sources/source.ts'

/** The server of this key in an update. */
export const findReported = (
  { present, unreadable = [] }: SourceUpdate,
  key: ServerKey | undefined,
): ReportedServer | UnreadableServer | undefined =>
  [...present, ...unreadable].find((server) => isDeepStrictEqual(server.key, key))
