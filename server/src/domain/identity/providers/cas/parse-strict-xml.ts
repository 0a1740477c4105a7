import { SaxesParser, type SaxesTagNS } from 'saxes'

export interface XmlElement {
  readonly uri: string
  readonly name: string
  readonly attributes: ReadonlyMap<string, string>
  readonly children: readonly XmlElement[]
  /** All text directly inside, CDATA too, without comments. */
  readonly text: string
  readonly hasCdata: boolean
}

type Draft = {
  -readonly [Key in keyof XmlElement]: Key extends 'children' ? Draft[] : XmlElement[Key]
}

const longestDocument = 65_536
const greatestDepth = 8

/** `<!` starts a comment, CDATA or a declaration (DOCTYPE, ENTITY …). Even in a comment the last is refused. */
const declaration = /<!(?!--|\[CDATA\[)/
const leadingXmlDeclaration = /^\uFEFF?<\?xml\s[^>]*\?>/

/**
 * Parses a small document of elements and text. Declarations, processing instructions and deep
 * nesting are rejected before the parser sees them. Error messages do not quote the document.
 */
export function parseStrictXml(xml: string): XmlElement {
  if (xml.length > longestDocument) throw new Error('longer than 65,536 characters')
  if (declaration.test(xml)) throw new Error('declares a document type or entities')
  const [prologue = ''] = leadingXmlDeclaration.exec(xml) ?? []
  if (xml.includes('<?', prologue.length)) throw new Error('has a processing instruction')
  return parse(xml)
}

function parse(xml: string): XmlElement {
  // XML 1.1 allows control characters as references.
  const options = { xmlns: true, position: false } as const
  const parser = new SaxesParser({ ...options, forceXMLVersion: true, defaultXMLVersion: '1.0' })
  const open: Draft[] = []
  let root: Draft | undefined

  parser.on('error', () => {
    throw new Error('not well-formed')
  })
  parser.on('xmldecl', ({ encoding }) => {
    // The text was decoded as UTF-8, so no other encoding may be declared.
    if (encoding !== undefined && !/^utf-8$/i.test(encoding)) throw new Error('not in UTF-8')
  })
  parser.on('opentag', (tag) => {
    if (open.length >= greatestDepth) throw new Error(`deeper than ${greatestDepth} elements`)
    const element = draftElement(tag)
    open.at(-1)?.children.push(element)
    root ??= element
    open.push(element)
  })
  parser.on('closetag', () => open.pop())
  parser.on('text', (text) => {
    const element = open.at(-1)
    if (element) element.text += text
  })
  parser.on('cdata', (text) => {
    const element = open.at(-1)
    if (element) Object.assign(element, { text: element.text + text, hasCdata: true })
  })

  parser.write(xml).close()
  if (!root) throw new Error('empty')
  return root
}

const draftElement = ({ uri, local, attributes }: SaxesTagNS): Draft => ({
  uri,
  name: local,
  attributes: new Map(Object.values(attributes).map(({ name, value }) => [name, value])),
  children: [],
  text: '',
  hasCdata: false,
})
