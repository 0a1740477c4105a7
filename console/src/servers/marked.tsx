interface Props {
  readonly text: string
  /** In lower case. */
  readonly words: readonly string[]
}

/** A text in which the searched words are marked. */
export function Marked({ text, words }: Props) {
  const folded = text.toLowerCase()
  // Some letters are longer in lower case, so that positions would be wrong.
  if (words.length === 0 || folded.length !== text.length) return text
  const starts = words.flatMap((word) => {
    const at = folded.indexOf(word)
    return at === -1 ? [] : [{ at, end: at + word.length }]
  })
  const [first] = starts.toSorted((a, b) => a.at - b.at || b.end - a.end)
  if (!first) return text
  return (
    <>
      {text.slice(0, first.at)}
      <mark>{text.slice(first.at, first.end)}</mark>
      <Marked text={text.slice(first.end)} words={words} />
    </>
  )
}
