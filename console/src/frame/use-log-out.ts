import { useMutation } from '@tanstack/react-query'
import { logOut } from '../session/log-out.ts'

export const logOutKey = ['log-out'] as const

/** Where it fails, `LogOutError` says so: the menu that it was chosen from is gone by then. */
export function useLogOut(): () => void {
  const { mutate } = useMutation({
    mutationKey: logOutKey,
    mutationFn: logOut,
  })
  return () => mutate()
}
