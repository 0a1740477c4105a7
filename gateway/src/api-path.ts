import { servedMethodsOf, operations, type Operation } from '@muster/contract'

/** Path prefix of API calls through the gateway. */
export const prefix = '/api'

interface Route {
  readonly steps: readonly string[]
  readonly methods: readonly string[]
  readonly servedBy: Operation['servedBy']
}

/** The operations that the gateway forwards. */
const forwarded: readonly Route[] = (operations as readonly Operation[])
  .filter(({ throughGateway }) => throughGateway)
  .map((operation) => ({
    steps: operation.path.split('/').slice(1),
    methods: servedMethodsOf(operation),
    servedBy: operation.servedBy,
  }))

type Decision =
  | { readonly kind: 'malformed' }
  | { readonly kind: 'unknown' }
  | { readonly kind: 'found'; readonly path: string; readonly routes: readonly Route[] }

/** Characters that two servers may interpret differently, plain or percent-encoded. */
const ambiguous = /[;\\]|%(?:2f|5c|2e|3b|00|25(?:2f|5c|2e|00))|[^\x21-\x7e]/i

const decode = (step: string): string | undefined => {
  try {
    return decodeURIComponent(step)
  } catch {
    return undefined
  }
}

/**
 * Finds the operations of a path under the prefix and returns the normalized path. The API is called
 * with the normalized path, so that the gateway and the API route in the same way.
 */
export function readApiPath(path: string): Decision {
  const written = path.slice(prefix.length).replace(/\/$/, '')
  if (ambiguous.test(written)) return { kind: 'malformed' }
  const steps = written.split('/').slice(1).map(decode)
  const isUnambiguous = (step: string | undefined): step is string =>
    step !== undefined && step !== '' && !step.endsWith('.') && !/\p{Cc}/u.test(step)
  if (!steps.every(isUnambiguous)) return { kind: 'malformed' }
  const routes = forwarded.filter((route) => matches(route, steps))
  if (routes.length === 0) return { kind: 'unknown' }
  return {
    kind: 'found',
    path: `/${steps.map((step) => encodeURIComponent(step)).join('/')}`,
    routes,
  }
}

const matches = ({ steps: pattern }: Route, steps: readonly string[]): boolean =>
  pattern.length === steps.length &&
  pattern.every((step, at) => step.startsWith('{') || step === steps[at])
