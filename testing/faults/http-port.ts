import type {
  FaultProxy,
  HttpFault,
  ProxiedRequest,
} from '../../server/src/testing/inventory-world/fault-proxy.ts'
import type { Call, FaultPort, ResponseFault } from './back-end.ts'

/** Keeps the given number of items of the list in a response; undefined if it has no list. */
export type CutList = (body: string, keep: (items: number) => number) => string | undefined

const garbage = '\u0000\u0001<<{"not":'

function toHttpFault(
  fault: ResponseFault,
  cutList: CutList,
  callOf: (request: ProxiedRequest) => Call,
): HttpFault {
  if (typeof fault === 'number') return { status: fault, body: `the proxy answers ${fault}` }
  if (typeof fault === 'object') {
    if ('onList' in fault) {
      const { onList } = fault
      const change = (body: string, request: ProxiedRequest) => {
        cutList(body, (items) => {
          onList(callOf(request), items)
          return items
        })
        return body
      }
      return { change }
    }
    const share = fault.keep === 'none' ? 0 : 0.5
    return { change: (body) => cutList(body, (items) => Math.floor(items * share)) ?? body }
  }
  return {
    reset: 'close' as const,
    lost: 'lose' as const,
    hang: 'hang' as const,
    cut: 'close in body' as const,
    garbage: { status: 200, body: garbage },
  }[fault]
}

/** The port of a back end that speaks HTTP. */
export function createHttpPort(
  proxy: FaultProxy,
  callOf: (request: ProxiedRequest) => Call,
  cutList: CutList,
): FaultPort {
  const calls = new Map<ProxiedRequest, Call>()
  const call = (request: ProxiedRequest) => {
    const known = calls.get(request) ?? callOf(request)
    calls.set(request, known)
    return known
  }
  proxy.onRequest = (request) => port.onCall?.(call(request))
  const port: FaultPort = {
    exchanges: () =>
      proxy.requests.map((request) => {
        const { isDelivered = false, status } = proxy.outcomes.get(request) ?? {}
        return { call: call(request), isDelivered, status }
      }),
    onCall: undefined,
    inject: (fault, matches) =>
      proxy.inject(toHttpFault(fault, cutList, call), (request) => matches(call(request))),
    refuse: () => proxy.connection.refuse(),
    cut() {
      proxy.connection.cut()
    },
    heal() {
      port.onCall = undefined
      proxy.clear()
      proxy.connection.restore()
    },
  }
  return port
}

/** Cuts a list of elements in XML that do not contain each other, or only in lists of their own. */
export function cutElements(
  body: string,
  element: string,
  [start, end]: readonly [number, number],
  keep: (items: number) => number,
): string {
  const spans: [number, number][] = []
  let depth = 0
  let begin = 0
  const list = body.slice(start, end)
  for (const { 0: tag, index } of list.matchAll(new RegExp(`</?${element}(?:\\s[^>]*)?>`, 'g'))) {
    if (tag.endsWith('/>')) continue
    if (!tag.startsWith('</')) {
      if (depth === 0) begin = index
      depth += 1
      continue
    }
    depth -= 1
    if (depth === 0) spans.push([begin, index + tag.length])
  }
  const kept = spans.slice(0, keep(spans.length))
  if (kept.length === spans.length) return body
  const items = kept.map(([from, to]) => list.slice(from, to)).join('')
  const first = spans[0]?.[0] ?? 0
  const last = spans.at(-1)?.[1] ?? 0
  return body.slice(0, start) + list.slice(0, first) + items + list.slice(last) + body.slice(end)
}

/** Cuts the list that an answer in JSON has at its top, or in `metadata`. */
export const cutArray: CutList = (body, keep) => {
  let answer: unknown
  try {
    answer = JSON.parse(body)
  } catch {
    return undefined
  }
  if (typeof answer !== 'object' || answer === null) return undefined
  const [key, list] = Object.entries(answer).find(([, value]) => Array.isArray(value)) ?? []
  if (key === undefined || !Array.isArray(list)) return undefined
  return JSON.stringify({ ...answer, [key]: list.slice(0, keep(list.length)) })
}
