import { writeSecurityRule, type SecurityRule } from '../../domain/sources/security-rules.ts'
import { unlessUnsupported, type Calls } from './calls.ts'
import { maskBits } from './networks.ts'
import type { ListBudget } from '../shared/list-budget.ts'
import {
  attributeOf,
  childrenOf,
  numberOf,
  parseIfPossible,
  type XmlElement,
} from '../shared/parse-xml.ts'

/** A network filter, libvirt's equivalent of a security group. */
export interface Filter {
  readonly uuid: string
  /** The names of this filter and of all filters that it includes, at any depth. */
  readonly parts: ReadonlySet<string>
  /** Its own packet rules, such as `in:allow tcp 22`. */
  readonly rules: readonly string[]
}

const verdicts: ReadonlyMap<string, SecurityRule['verdict']> = new Map(
  Object.entries({
    accept: 'allow',
    drop: 'deny',
    reject: 'deny',
  }),
)
const protocols = /^(?:tcp|udp|udplite|sctp|icmp|icmpv6|igmp|esp|ah|all)(?:-ipv6)?$/
/** Attributes that the text of a rule contains or that do not affect it. */
const supportedAttributes = new Set(['dstportstart', 'dstportend', 'state', 'comment'])

function portsOf(protocol: XmlElement): SecurityRule['ports'] {
  const start = attributeOf(protocol, 'dstportstart')
  const end = attributeOf(protocol, 'dstportend')
  return start === '' ? undefined : { from: numberOf(start), to: numberOf(end || start) }
}

/** The peer's address or network; empty if the rule has none. */
function peerOf(protocol: XmlElement, side: 'src' | 'dst'): string {
  const address = attributeOf(protocol, `${side}ipaddr`)
  const mask = attributeOf(protocol, `${side}ipmask`)
  if (mask === '' || /^\d+$/.test(mask)) return mask === '' ? address : `${address}/${mask}`
  return `${address}/${maskBits(mask)}`
}

/**
 * Describes a rule as text. Rules with unsupported attributes and rules for frames are omitted, because
 * a partial description would be wrong.
 */
function describeRule(rule: XmlElement): string[] {
  const verdict = verdicts.get(attributeOf(rule, 'action'))
  if (verdict === undefined) return []
  const given = attributeOf(rule, 'direction')
  const directions: readonly SecurityRule['direction'][] =
    given === 'in' || given === 'out' ? [given] : ['in', 'out']
  return directions.flatMap((direction) => {
    const side = direction === 'out' ? 'dst' : 'src'
    const known = new Set([...supportedAttributes, `${side}ipaddr`, `${side}ipmask`])
    return rule.children
      .filter(
        ({ name, attributes }) =>
          protocols.test(name) &&
          attributes.entries().every(([key, value]) => known.has(key) && !value.startsWith('$')),
      )
      .map((protocol) => {
        const name = protocol.name.replace(/-ipv6$/, '')
        const ports = portsOf(protocol)
        return writeSecurityRule({
          direction,
          verdict,
          protocol: name === 'all' ? 'any' : name,
          ...(ports && { ports }),
          peer: peerOf(protocol, side),
        })
      })
  })
}

/** A filter with the names of those that it includes itself. */
type OwnFilter = Omit<Filter, 'parts'> & { readonly included: readonly string[] }

/** The network filters of the host, by name. */
export async function readFilters(
  calls: Calls,
  budget: ListBudget,
): Promise<ReadonlyMap<string, Filter>> {
  const handles = (await unlessUnsupported(calls.filters())) ?? []
  const own = new Map<string, OwnFilter>()
  await Promise.all(
    handles.map(async (handle) => {
      const { name, uuid } = handle
      const xml = parseIfPossible(await unlessUnsupported(calls.filterXml(handle)))
      if (!xml) return
      const filter = {
        uuid,
        included: childrenOf(xml, 'filterref').map((part) => attributeOf(part, 'filter')),
        rules: childrenOf(xml, 'rule').flatMap(describeRule),
      }
      if (budget.take(filter, 'network filters')) own.set(name, filter)
    }),
  )
  const addParts = (name: string, parts: Set<string>): Set<string> => {
    if (parts.has(name)) return parts
    parts.add(name)
    for (const part of own.get(name)?.included ?? []) addParts(part, parts)
    return parts
  }
  return new Map(
    [...own].map(([name, { uuid, rules }]) => [
      name,
      { uuid, rules, parts: addParts(name, new Set()) },
    ]),
  )
}
