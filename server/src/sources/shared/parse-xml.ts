import { SaxesParser, type SaxesTagNS } from 'saxes'
import { SourceError } from '../../domain/sources/source-error.ts'

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
  readonly maxElements: number
}

/** More than the description of one server has. */
const defaultLimits: XmlLimits = { maxLength: 16_777_216, maxElements: 50_000 }
const maxDepth = 256

const invalidResponse = (what: string) =>
  new SourceError('invalid-response', `Its XML document ${what}.`)

/** Parses an XML document. Document types and entities of their own are rejected. */
export function parseXml(
  xml: string,
  { maxLength, maxElements }: XmlLimits = defaultLimits,
): XmlElement {
  if (xml.length > maxLength) throw invalidResponse('is too long')
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
  parser.on('opentag', (tag: SaxesTagNS) => {
    count += 1
    if (count > maxElements)
      throw invalidResponse(`has more than ${maxElements.toLocaleString('en')} elements`)
    if (open.length === maxDepth) throw invalidResponse('is nested too deeply')
    const element: Draft = {
      name: tag.local,
      prefix: tag.prefix,
      uri: tag.uri,
      attributes: new Map(Object.entries(tag.attributes).map(([key, { value }]) => [key, value])),
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
  parser.on('closetag', () => open.pop())
  parser.write(xml).close()
  if (!root) throw invalidResponse('is empty')
  return root
}

/** Undefined if it is absent or invalid: one odd network must not fail the whole scan. */
export function parseIfPossible(xml: string | undefined): XmlElement | undefined {
  if (xml === undefined) return undefined
  try {
    return parseXml(xml)
  } catch {
    return undefined
  }
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
