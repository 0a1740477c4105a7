import { hash } from 'node:crypto'
import type { OpenApiDocument, serviceOperations } from '@muster/contract'
import { PlatformError } from '../domain/error.ts'
import type { Health } from '../domain/health.ts'
import { conditionalResponse } from './conditional-response.ts'
import type { Metrics } from './metrics.ts'
import type { HandlersFor } from './register-operations.ts'
import { reference } from './reference/reference.ts'

interface Dependencies {
  readonly renderOpenApi: () => OpenApiDocument
  readonly metrics: Metrics
  readonly health: Pick<Health, 'check'>
  readonly isDraining: () => boolean
}

export function createServiceHandlers(
  dependencies: Dependencies,
): HandlersFor<typeof serviceOperations> {
  const { renderOpenApi, metrics, health, isDraining } = dependencies
  // Built at the first request, because most processes never get one.
  const document = once(() => toFixed(Buffer.from(JSON.stringify(renderOpenApi()))))
  const page = once(() =>
    toFixed(reference.page, { 'content-security-policy': reference.contentSecurityPolicy }),
  )
  const script = once(async () => toFixed(await reference.readScript()))

  return {
    showHealth: () => ({ status: 200, body: { status: 'ok' } }),

    async showReadiness() {
      if (isDraining()) throw notReady('The process is shutting down.')
      const problems = await health.check()
      if (problems.length > 0) throw notReady(problems.map(({ text }) => text).join(' '))
      return { status: 200, body: { status: 'ready' } }
    },

    showMetrics: async () => ({ status: 200, body: await metrics.render() }),
    showOpenApi: ({ ifNoneMatch }) => conditionalResponse(document(), ifNoneMatch),
    showReference: ({ ifNoneMatch }) => conditionalResponse(page(), ifNoneMatch),
    showReferenceScript: async ({ ifNoneMatch }) =>
      conditionalResponse(await script(), ifNoneMatch),
  }
}

/** A response that never changes while the process runs. */
function toFixed(body: Buffer, headers: Readonly<Record<string, string>> = {}) {
  return {
    body,
    etag: `"${hash('sha256', body, 'base64url').slice(0, 22)}"`,
    headers,
    isFresh: () => true,
  }
}

function once<Value>(make: () => Value): () => Value {
  let made: { readonly value: Value } | undefined
  return () => (made ??= { value: make() }).value
}

const notReady = (details: string) =>
  new PlatformError('ServiceUnavailable', details, { retryAfter: 1 })
