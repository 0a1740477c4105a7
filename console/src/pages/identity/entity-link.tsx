import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import type { Kind } from '../../api/kind-operations.ts'

interface Props {
  readonly kind: Kind
  readonly id: string
  readonly children: ReactNode
}

export function EntityLink({ kind, id, children }: Props) {
  return (
    <Link to="/identity/$kind/$id" params={{ kind, id }}>
      {children}
    </Link>
  )
}
