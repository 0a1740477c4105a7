import { SourceError } from '../../domain/sources/source-error.ts'

/** A request was sent and has no complete response, so it may have been carried out. */
export class LostResponse extends SourceError {}
