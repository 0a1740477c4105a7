import { isApiError } from '@muster/sdk'
import { api } from './client.ts'

/** Sends a password or a code. A 401 may mean that it is wrong, or that the session has ended. */
export async function wrongOr<Result>(send: () => Promise<Result>): Promise<Result | 'wrong'> {
  try {
    return await send()
  } catch (error) {
    if (!isApiError(error, 'UnauthorizedError')) throw error
    await api.getSession()
    return 'wrong'
  }
}
