import { SaxesParser, type SaxesTagNS } from 'saxes'
import { SourceError } from '../../domain/sources/source-error.ts'
import { ResponseTooLarge } from './response-too-large.ts'

export interface XmlElement {
  readonly name: string
  readonly prefix: string
  readonly uri: string
  /** By qualified name. */
  readonly attributes: ReadonlyMap<string, string>
  readonly children: readonly XmlElement[]
  /** The text directly inside the element. */
  readonly text: string
}

type Draft = Omit<XmlElement, 'children' | 'text'> & { children: Draft[]; text: string }

export interface XmlLimits {
  /** In characters. */
  readonly maxLength: number
  /** Attributes and references to entities count as well. */
  readonly maxElements: number
}

/** More than the description of one server has. libvirt sends no longer texts. */
const defaultLimits: XmlLimits = { maxLength: 4 * 2 ** 20, maxElements: 50_000 }
const maxDepth = 64
const maxAttributes = 256
const noAttributes: XmlElement['attributes'] = new Map()

/** A copy: parts of a text keep all of it in memory. V8 copies short ones itself. */
const ownText = (text: string) => (text.length < 13 ? text : Buffer.from(text).toString())

const tooLarge = (what: string) => new ResponseTooLarge(`Its XML document ${what}.`)
const invalidResponse = (what: string) =>
  new SourceError('invalid-response', `Its XML document ${what}.`)

/** Parses an XML document. Document types and entities of their own are rejected. */
export function parseXml(
  xml: string,
  { maxLength, maxElements }: XmlLimits = defaultLimits,
): XmlElement {
  if (xml.length > maxLength)
    throw tooLarge(`has more than ${maxLength.toLocaleString('en')} characters`)
  const parser = new SaxesParser({ xmlns: true })
  const open: Draft[] = []
  let root: Draft | undefined
  let count = 0
  parser.on('error', (cause) => {
    throw new SourceError('invalid-response', 'Its XML document is not well formed.', { cause })
  })
  parser.on('doctype', () => {
    throw invalidResponse('declares a document type')
  })
  const countOne = () => {
    count += 1
    if (count > maxElements)
      throw tooLarge(`has more than ${maxElements.toLocaleString('en')} elements`)
  }
  // Before anything is built, so that a document that is too large takes no memory.
  for (let at = xml.indexOf('<'); at !== -1; at = xml.indexOf('<', at + 1)) {
    if (xml[at + 1] !== '/') countOne()
  }
  for (let at = xml.indexOf('&'); at !== -1; at = xml.indexOf('&', at + 1)) countOne()
  const names = new Map<string, string>()
  const ownName = (name: string): string => {
    const known = names.get(name) ?? ownText(name)
    names.set(known, known)
    return known
  }
  /** Most elements of a list have the same attributes. */
  const singleAttributes = new Map<string, XmlElement['attributes']>()
  const ownAttributes = (given: SaxesTagNS['attributes']): XmlElement['attributes'] => {
    const attributes = Object.entries(given).map(([key, { value }]) => [key, value] as const)
    const [first, ...others] = attributes
    if (!first) return noAttributes
    const shared = others.length === 0 ? singleAttributes.get(first.join('=')) : undefined
    if (shared) return shared
    const own = new Map(attributes.map(([key, value]) => [ownName(key), ownText(value)]))
    if (others.length === 0) singleAttributes.set(ownText(first.join('=')), own)
    return own
  }
  let attributeCount = 0
  parser.on('attribute', () => {
    countOne()
    attributeCount += 1
    if (attributeCount > maxAttributes)
      throw tooLarge(`has an element with more than ${maxAttributes} attributes`)
  })
  parser.on('opentag', (tag: SaxesTagNS) => {
    if (open.length === maxDepth) throw tooLarge(`is nested more than ${maxDepth} levels deep`)
    attributeCount = 0
    const element: Draft = {
      name: ownName(tag.local),
      prefix: tag.prefix,
      uri: tag.uri,
      attributes: ownAttributes(tag.attributes),
      children: [],
      text: '',
    }
    open.at(-1)?.children.push(element)
    root ??= element
    open.push(element)
  })
  const addText = (text: string) => {
    const element = open.at(-1)
    if (element) element.text += text
  }
  parser.on('text', addText)
  parser.on('cdata', addText)
  parser.on('closetag', () => {
    const element = open.pop()
    if (element) element.text = ownText(element.text)
  })
  parser.write(xml).close()
  if (!root) throw invalidResponse('is empty')
  return root
}

/** How many elements and attributes there are. Long texts count as several. */
export function countEntries(element: XmlElement | undefined): number {
  if (!element) return 0
  let count = 1 + Math.floor(element.text.length / 200)
  for (const value of element.attributes.values()) count += 1 + Math.floor(value.length / 200)
  for (const child of element.children) count += countEntries(child)
  return count
}

/** Child elements of this name in the namespace of their parent: other namespaces are extensions. */
export const childrenOf = (element: XmlElement | undefined, name: string): readonly XmlElement[] =>
  element?.children.filter((child) => child.name === name && child.uri === element.uri) ?? []

/** The first element at this path. */
export const childOf = (
  element: XmlElement | undefined,
  ...path: readonly string[]
): XmlElement | undefined =>
  path.reduce<XmlElement | undefined>((at, name) => childrenOf(at, name)[0], element)

export const textOf = (element: XmlElement | undefined, ...path: readonly string[]): string =>
  childOf(element, ...path)?.text.trim() ?? ''

export const attributeOf = (element: XmlElement | undefined, name: string): string =>
  element?.attributes.get(name) ?? ''

/** A decimal or hexadecimal (0x) integer; 0 if invalid. */
export function numberOf(text: string): number {
  const number = text === '' ? 0 : Number(text)
  return Number.isSafeInteger(number) && number >= 0 ? number : 0
}
