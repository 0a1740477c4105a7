import { defaultDataDir, type Config } from '../config/read-config.ts'
import { readDemoRecord } from '../storage/sqlite/read-demo-record.ts'

/**
 * Names a demo that earlier versions left where an installation's own data goes, and says how to
 * remove it; nothing where there is none.
 */
export async function findLeftoverDemo({ demo, dataDir }: Config): Promise<string> {
  const folder = demo ? defaultDataDir : dataDir
  // The demo that was asked for.
  if (demo && folder === dataDir) return ''
  const note = await readDemoRecord(folder)
  if (!note) return ''
  const size = note.servers.toLocaleString('en-US')
  const path = `'${folder.replaceAll("'", String.raw`'\''`)}'`
  return [
    `${folder} holds a demo of ${size} servers. ${demo ? 'To' : 'Stop Muster to'} remove it with everything else in that folder:`,
    '',
    `  rm -r ${path}`,
    '',
    '',
  ].join('\n')
}
