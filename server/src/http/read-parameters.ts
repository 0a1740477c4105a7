import type { FastifyRequest } from 'fastify'
import { PlatformError } from '../domain/error.ts'

/** The parameters in the path of a request. */
export function readParameters({ params }: Pick<FastifyRequest, 'params'>): unknown {
  if (Object.values(params as Record<string, string>).some((value) => value.includes('\0'))) {
    throw new PlatformError('InvalidFormatError', 'The path contains a NUL character.')
  }
  return params
}
