import type { OpenApiDocument } from '@muster/contract'
import { PlatformError } from '../domain/error.ts'
import type { Metrics } from './metrics.ts'
import type { Handlers } from './mount.ts'
import { renderReferencePage } from './reference/page.ts'

interface Dependencies {
  readonly openApi: OpenApiDocument
  readonly metrics: Metrics
  /** Rejects when the storage does not answer. */
  readonly ping: () => Promise<void>
  readonly isDraining: () => boolean
}

export type ServiceHandlers = Pick<
  Handlers,
  'showHealth' | 'showReadiness' | 'showMetrics' | 'showOpenApi' | 'showReference'
>

export function createServiceHandlers(dependencies: Dependencies): ServiceHandlers {
  const { openApi, metrics, ping, isDraining } = dependencies
  // Made at the first request: most processes are never asked.
  const document = once(() => JSON.stringify(openApi))
  const page = once(() => renderReferencePage(openApi))

  return {
    showHealth: () => ({ status: 200, body: { status: 'ok' } }),

    async showReadiness() {
      if (isDraining()) throw notReady('The process is stopping.')
      await ping().catch((cause: unknown) => {
        throw notReady('The storage does not answer.', cause)
      })
      return { status: 200, body: { status: 'ready' } }
    },

    showMetrics: async () => ({ status: 200, body: await metrics.render() }),
    showOpenApi: () => ({ status: 200, body: document() }),
    showReference: () => ({
      status: 200,
      body: page().html,
      headers: { 'content-security-policy': page().contentSecurityPolicy },
    }),
  }
}

function once<Value>(make: () => Value): () => Value {
  let made: { readonly value: Value } | undefined
  return () => (made ??= { value: make() }).value
}

const notReady = (details: string, cause?: unknown) =>
  new PlatformError('ServiceUnavailable', details, { cause, retryAfter: 1 })
