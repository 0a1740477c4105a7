import { hash } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import { extname, join, relative, sep } from 'node:path'
import type { ContentCoding } from '@muster/contract'

export interface ConsoleFile {
  readonly contentType: string
  /** The name contains a hash of the content, so the file never changes. */
  readonly isHashed: boolean
  readonly etag: string
  readonly bytes: Buffer
  /** Compressed contents by content coding. */
  readonly encoded: ReadonlyMap<ContentCoding, Buffer>
}

const contentTypes: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.ico': 'image/x-icon',
  '.woff2': 'font/woff2',
  '.json': 'application/json; charset=utf-8',
  '.webmanifest': 'application/manifest+json',
  '.txt': 'text/plain; charset=utf-8',
}

/** In order of preference. */
const codings = [
  ['br', '.br'],
  ['gzip', '.gz'],
] as const

async function findAll(folder: string): Promise<readonly string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => [])
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => relative(folder, join(entry.parentPath, entry.name)).split(sep).join('/'))
}

/** Reads all files of the console into memory by relative path, so that no request path reaches the disk. */
export async function readFiles(folder: string): Promise<ReadonlyMap<string, ConsoleFile>> {
  const names = await findAll(folder)
  const present = new Set(names)
  const served = names.filter((name) => contentTypes[extname(name)] !== undefined)
  const files = await Promise.all(
    served.map(async (name): Promise<[string, ConsoleFile]> => {
      const bytes = await readFile(join(folder, name))
      const encoded = codings
        .filter(([, ending]) => present.has(name + ending))
        .map(async ([coding, ending]): Promise<[ContentCoding, Buffer]> => [
          coding,
          await readFile(join(folder, name + ending)),
        ])
      return [
        name,
        {
          contentType: contentTypes[extname(name)] ?? '',
          isHashed: name.startsWith('assets/'),
          etag: hash('sha256', bytes, 'base64url').slice(0, 22),
          bytes,
          encoded: new Map(await Promise.all(encoded)),
        },
      ]
    }),
  )
  return new Map(files)
}
