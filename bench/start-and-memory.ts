import { setTimeout as pause } from 'node:timers/promises'
import { bestOfRounds, boundRow, type Figure } from './figure.ts'
import { anonymousMemory, removeFolder, startServer } from './server.ts'

const megabyte = 1_000_000
const settling = 3_000

export const startToFirstAnswer: Figure = {
  id: 'P12',
  title: 'start to first answer',
  async measure() {
    const time = async (folder?: string) => {
      const server = await startServer(18_412, folder)
      await server.stop()
      if (folder === undefined) removeFolder(server.folder)
      return server.firstAnswer
    }
    const { folder, stop } = await startServer(18_412)
    await stop()
    const best = await bestOfRounds({ first: () => time(), again: () => time(folder) }, Math.min)
    removeFolder(folder)
    return [
      boundRow('very first start: storage made, admin hashed', 'ms', best.first, 1_000),
      boundRow('start on an empty installation', 'ms', best.again, 1_000),
    ]
  },
}

export const memoryAtRest: Figure = {
  id: 'P13',
  title: 'memory at rest',
  async measure() {
    const server = await startServer(18_413)
    await pause(settling)
    const bytes = anonymousMemory(server.pid)
    await server.stop()
    removeFolder(server.folder)
    return [boundRow('anonymous memory, empty', 'MB', bytes / megabyte, 120)]
  },
}
