import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { repository } from '../../server/src/testing/spawn-muster.ts'

/** A fenced block of a page. */
interface Block {
  readonly language: string
  readonly text: string
}

export interface Page {
  readonly path: string
  readonly text: string
  readonly blocks: readonly Block[]
}

/** Blocks in lists are indented. */
const fence = /^ *```(.*)\n([\s\S]*?)^ *```$/gm

export function readPage(path: string): Page {
  const text = readFileSync(join(repository, path), 'utf8')
  const blocks = [...text.matchAll(fence)].map(([, language = '', text = '']) => ({
    language,
    text,
  }))
  return { path, text, blocks }
}

/** The pages for users, operators and developers. */
export const readPages = (): Page[] =>
  ['README.md', 'CONTRIBUTING.md', 'SECURITY.md', 'bench/README.md', 'sdk/README.md']
    .concat(globSync('docs/{,sources/}*.md', { cwd: repository }).toSorted())
    .map(readPage)

export const readDecisions = (): Page[] =>
  globSync('docs/decisions/*.md', { cwd: repository }).toSorted().map(readPage)

/** Number of words per sentence, on average. Headings, tables, code and list markers are left out. */
export function averageSentenceLength({ text }: Page): number {
  const prose = text
    .replaceAll(fence, '\n\n')
    .replaceAll(/^(?:#|\||!\[).*$/gm, '\n')
    .replaceAll(/`[^`]*`/g, 'code')
    .replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1')
    .replaceAll(/^ *(?:[-*]|\d+\.) /gm, '\n')
  const sentences = prose
    .split(/(?<=[.?!])\s+|\n{2,}/)
    .map((sentence) => sentence.split(/\s+/).filter((word) => /\w/.test(word)).length)
    .filter((words) => words > 0)
  return sentences.reduce((sum, words) => sum + words, 0) / sentences.length
}
