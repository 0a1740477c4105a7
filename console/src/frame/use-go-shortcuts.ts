import { useNavigate } from '@tanstack/react-router'
import { useShortcut } from './use-shortcut.ts'

/** `g` and a letter of the place: its first, but `e` for the events of the activity. */
export function useGoShortcuts(): void {
  const navigate = useNavigate()
  useShortcut('g o', () => navigate({ to: '/' }))
  useShortcut('g s', () => navigate({ to: '/servers' }))
  useShortcut('g a', () => navigate({ to: '/accounts' }))
  useShortcut('g l', () => navigate({ to: '/locations' }))
  useShortcut('g i', () => navigate({ to: '/identity' }))
  useShortcut('g e', () => navigate({ to: '/activity' }))
}
