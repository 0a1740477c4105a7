import { useMutation } from '@tanstack/react-query'
import { logOut } from '../session/log-out.ts'

export const logOutKey = ['log-out'] as const

/** `LogOutError` shows failures, because the menu is closed by then. */
export function useLogOut(): () => void {
  const { mutate } = useMutation({
    mutationKey: logOutKey,
    mutationFn: logOut,
  })
  return () => mutate()
}
