import type { XmlElement } from '../shared/parse-xml.ts'

/**
 * Tags that an organisation can write into `<metadata>`: `<muster:tag
 * name="team">web</muster:tag>`.
 */
const ownNamespace = 'urn:muster:tags:1'
const novaNamespace = /^http:\/\/openstack\.org\/xmlns\/libvirt\/nova\//
const libosinfo = /^http:\/\/libosinfo\.org\//
const maxTags = 64
const longestKey = 128
const longestValue = 1_024

const find = (element: XmlElement | undefined, ...path: readonly string[]) =>
  path.reduce<XmlElement | undefined>(
    (at, name) => at?.children.find((child) => child.name === name),
    element,
  )

/** Leaves and attributes by path, such as `nova.instance.flavor.memory`. */
function* flatten(element: XmlElement, path: string): Generator<readonly [string, string]> {
  for (const [name, value] of element.attributes) {
    if (!/^xmlns(?::|$)/.test(name)) yield [`${path}.${name}`, value]
  }
  if (element.children.length === 0) yield [path, element.text.trim()]
  for (const child of element.children) yield* flatten(child, `${path}.${child.name}`)
}

function* tagsIn(element: XmlElement): Generator<readonly [string, string]> {
  if (libosinfo.test(element.uri)) return
  if (element.uri === ownNamespace) {
    for (const tag of element.children) {
      yield [tag.attributes.get('name') ?? tag.name, tag.text.trim()]
    }
    return
  }
  yield* flatten(
    element,
    element.prefix === '' ? element.name : `${element.prefix}.${element.name}`,
  )
}

function readTags(metadata: XmlElement | undefined): Record<string, string> {
  const tags = new Map<string, string>()
  for (const [key, value] of metadata?.children.flatMap((child) => [...tagsIn(child)]) ?? []) {
    if (tags.size === maxTags) break
    if (key !== '' && value !== '' && key.length <= longestKey && !tags.has(key)) {
      tags.set(key, value.slice(0, longestValue))
    }
  }
  return Object.fromEntries(tags)
}

/** Details from the `<metadata>` of a domain. */
export interface DomainMetadata {
  readonly tags: Readonly<Record<string, string>>
  readonly tenant?: { readonly id: string; readonly name: string }
  readonly instanceType: string
  readonly imageId: string
  readonly createdAt?: string
}

/** Reads tags of all tools, and the details that OpenStack Nova writes for its guests. */
export function readMetadata(metadata: XmlElement | undefined): DomainMetadata {
  const nova = metadata?.children.find(({ uri }) => novaNamespace.test(uri))
  const project = find(nova, 'owner', 'project')
  const id = project?.attributes.get('uuid') ?? ''
  const created = /^(\d{4}-\d\d-\d\d) (\d\d:\d\d:\d\d)$/.exec(
    find(nova, 'creationTime')?.text.trim() ?? '',
  )
  return {
    tags: readTags(metadata),
    ...(project && id !== '' && { tenant: { id, name: project.text.trim() } }),
    instanceType: find(nova, 'flavor')?.attributes.get('name') ?? '',
    imageId: find(nova, 'root')?.attributes.get('uuid') ?? '',
    ...(created && { createdAt: `${created[1]}T${created[2]}.000000Z` }),
  }
}
