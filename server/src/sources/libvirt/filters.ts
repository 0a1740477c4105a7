import { writeSecurityRule, type SecurityRule } from '../../domain/sources/security-rules.ts'
import type { Calls } from './calls.ts'
import { unlessUnsupported } from './tolerated-errors.ts'
import { maskBits } from './networks.ts'
import {
  attributeOf,
  childrenOf,
  countEntries,
  numberOf,
  type XmlElement,
} from '../shared/parse-xml.ts'
import type { Described } from './host-resources.ts'
import type { NamedHandle } from './records.ts'

/** A network filter, libvirt's equivalent of a security group. */
export interface Filter {
  readonly uuid: string
  /** The names of filters that it includes itself. */
  readonly included: readonly string[]
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

export async function readFilter(
  calls: Calls,
  handle: NamedHandle,
): Promise<Described<Filter> | undefined> {
  const xml = await unlessUnsupported(calls.filterXml(handle))
  if (!xml) return undefined
  const item = {
    uuid: handle.uuid,
    included: childrenOf(xml, 'filterref').map((part) => attributeOf(part, 'filter')),
    rules: childrenOf(xml, 'rule').flatMap(describeRule),
  }
  return { item, entries: countEntries(xml) }
}

/** The names of a filter and of all filters that it includes, at any depth. */
export function partsOf(filters: ReadonlyMap<string, Filter>, name: string): ReadonlySet<string> {
  const parts = new Set([name])
  // A set also visits what is added meanwhile.
  for (const part of parts)
    for (const included of filters.get(part)?.included ?? []) parts.add(included)
  return parts
}
