import { isApiError } from '@muster/sdk'
import { api } from '../../api/client.ts'

/** How many servers it has by now; none where that cannot be told. */
async function countServers(id: string): Promise<number> {
  try {
    return (await api.getCloudAccount({ parameters: { id } })).cloudaccount.servers
  } catch {
    return 0
  }
}

/**
 * Deletes an account, and its servers where they are to go too. Where it has come to see some since
 * it was looked at, nothing is deleted, and their number is the answer.
 */
export async function deleteAccount(id: string, evicts: boolean): Promise<'deleted' | number> {
  try {
    await api.deleteCloudAccount({ parameters: { id }, query: evicts ? { evict: true } : {} })
    return 'deleted'
  } catch (error) {
    const servers = isApiError(error, 'ConflictError') && !evicts ? await countServers(id) : 0
    if (servers === 0) throw error
    return servers
  }
}
