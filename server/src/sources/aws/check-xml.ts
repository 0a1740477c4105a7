/** Far more than a page of EC2 contains. */
const limits = { elements: 150_000, depth: 64, tag: 4_096, text: 32_768 }

/** Whether both kinds of quotes are closed. A tag that contains both is refused as unusual. */
function hasClosedQuotes(tag: string): boolean {
  const [double, single] = [tag.split('"').length - 1, tag.split("'").length - 1]
  return Math.min(double, single) === 0 && (double + single) % 2 === 0
}

/**
 * What exceeds the limits of a document; undefined if nothing does. The SDK's parser has none: it calls itself for each
 * level, and takes some 30 bytes for each character of a text.
 */
export function findExcess(xml: string): string | undefined {
  let depth = 0
  let elements = 0
  let end = 0
  for (let at = xml.indexOf('<'); at !== -1; at = xml.indexOf('<', end)) {
    if (at - end > limits.text) return `a text of more than ${limits.text} characters`
    const isComment = xml.startsWith('<!--', at)
    const isText = xml.startsWith('<![CDATA[', at)
    const stop = isComment ? '-->' : isText ? ']]>' : xml[at + 1] === '?' ? '?>' : '>'
    const last = xml.indexOf(stop, at)
    if (last === -1) return 'a tag that does not end'
    end = last + stop.length
    if (end - at > limits.tag && !isText) return `a tag of more than ${limits.tag} characters`
    if (end - at > limits.text) return `a text of more than ${limits.text} characters`
    if (stop !== '>') continue
    if (xml[at + 1] === '!') return 'a document type'
    elements += 1
    // Closing tags are counted, too.
    if (elements > limits.elements * 2)
      return `more than ${limits.elements.toLocaleString('en')} elements`
    if (xml[at + 1] === '/') depth -= 1
    else {
      const tag = xml.slice(at, end)
      if (tag.includes('=') && !hasClosedQuotes(tag)) return 'an attribute with an odd value'
      if (xml[last - 1] !== '/') depth += 1
      if (depth > limits.depth) return `more than ${limits.depth} levels`
    }
  }
  return undefined
}
