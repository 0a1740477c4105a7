import type { Format } from '../domain/query/choose-format.ts'

const contentTypes = {
  csv: 'text/csv; charset=UTF-8',
  ndjson: 'application/x-ndjson; charset=UTF-8',
} as const

/** The response for an export: a file that is streamed. */
export const answerExport = (
  name: string,
  format: Exclude<Format, 'json'>,
  body: AsyncIterable<Buffer>,
) => ({
  status: 200,
  contentType: contentTypes[format],
  headers: { 'content-disposition': `attachment; filename="${name}.${format}"` },
  body,
})
