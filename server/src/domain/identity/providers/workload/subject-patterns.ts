const most = 20
/** Parts that a pattern must name: the owner of a repository is the second one, and a namespace the third one. */
const fixedParts = (pattern: string): number =>
  pattern.startsWith('system:serviceaccount:') ? 3 : 2

/** Parts of a subject, with the colon or slash before each. */
const partsOf = (subject: string): readonly string[] => subject.split(/(?=[:/])/)

const readPatterns = (patterns: string): readonly string[] =>
  patterns.split(/\s+/).filter((pattern) => pattern !== '')

function problemOf(pattern: string): string | undefined {
  const at = partsOf(pattern).findIndex((part) => part.includes('*'))
  if (at !== -1 && at < fixedParts(pattern)) {
    return `has a * in the first parts of "${pattern}", where it would let in strangers`
  }
  if (/:environment:.*\*/.test(pattern)) {
    return `has a * for the environment in "${pattern}", which a pull request can choose`
  }
  return partsOf(pattern).every((part) => part.split('*').length <= 2)
    ? undefined
    : `has two * in one part of "${pattern}"`
}

/** What is wrong with the subjects that a provider lets in. */
export function subjectsProblem(value: string): string | undefined {
  const patterns = readPatterns(value)
  if (patterns.length > most) return `has more than ${most} subjects`
  if (patterns.length === 0) return 'must not be empty'
  return patterns.map(problemOf).find((problem) => problem !== undefined)
}

/** On GitHub, a fork can cause a run with this subject, so it must be written out. */
const ofForks = ':pull_request'

function matchesPart(pattern: string, part: string): boolean {
  const [before = '', after] = pattern.split('*')
  if (after === undefined) return part === pattern
  const isLongEnough = part.length > before.length + after.length
  return isLongEnough && part.startsWith(before) && part.endsWith(after) && part !== ofForks
}

/** Whether a subject is one of these, separated by blanks. A `*` stands for characters of one part. */
export function matchesSubject(patterns: string, subject: string): boolean {
  const parts = partsOf(subject)
  return readPatterns(patterns).some((pattern) => {
    const wanted = partsOf(pattern)
    return (
      wanted.length === parts.length &&
      wanted.every((part, at) => matchesPart(part, parts[at] ?? ''))
    )
  })
}
