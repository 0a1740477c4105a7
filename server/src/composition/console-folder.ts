import { fileURLToPath } from 'node:url'

/** Where the console can be built. The packaged build replaces this file: its console is built. */
export const repository: string | undefined = fileURLToPath(new URL('../../../', import.meta.url))

/** The folder of the built console. */
export const consoleFolder = fileURLToPath(new URL('../../../console/dist', import.meta.url))
