import { fileURLToPath } from 'node:url'

/** Where the console's files are once they are made. */
export const consoleFolder = fileURLToPath(new URL('../../../console/dist', import.meta.url))
