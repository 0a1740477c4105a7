import { servedMethodsOf, operations, type Operation } from '@muster/contract'

/** How the gateway's own way to the API begins. */
export const prefix = '/api'

interface Route {
  readonly steps: readonly string[]
  readonly methods: readonly string[]
}

/** The operations that a page may call with its session. */
const forwarded: readonly Route[] = (operations as readonly Operation[])
  .filter(({ throughGateway }) => throughGateway)
  .map((operation) => ({
    steps: operation.path.split('/').slice(1),
    methods: servedMethodsOf(operation),
  }))

type Decision =
  | { readonly kind: 'malformed' }
  | { readonly kind: 'unknown' }
  | { readonly kind: 'found'; readonly path: string; readonly methods: readonly string[] }

/** What two readers of a path might make different things of, in plain and in disguise. */
const doubtful = /[;\\]|%(?:2f|5c|2e|3b|00|25(?:2f|5c|2e|00))|[^\x21-\x7e]/i

const decode = (step: string): string | undefined => {
  try {
    return decodeURIComponent(step)
  } catch {
    return undefined
  }
}

/**
 * Decides what a path under the prefix asks for, on one form of it, and tells that form: the API is
 * asked with it, so that both decide on the same.
 */
export function readApiPath(path: string): Decision {
  const written = path.slice(prefix.length).replace(/\/$/, '')
  if (doubtful.test(written)) return { kind: 'malformed' }
  const steps = written.split('/').slice(1).map(decode)
  const isPlain = (step: string | undefined): step is string =>
    step !== undefined && step !== '' && !step.endsWith('.') && !/\p{Cc}/u.test(step)
  if (!steps.every(isPlain)) return { kind: 'malformed' }
  const routes = forwarded.filter((route) => fits(route, steps))
  if (routes.length === 0) return { kind: 'unknown' }
  return {
    kind: 'found',
    path: `/${steps.map((step) => encodeURIComponent(step)).join('/')}`,
    methods: [...new Set(routes.flatMap(({ methods }) => methods))],
  }
}

const fits = ({ steps: pattern }: Route, steps: readonly string[]): boolean =>
  pattern.length === steps.length &&
  pattern.every((step, at) => step.startsWith('{') || step === steps[at])
