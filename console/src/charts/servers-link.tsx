import { Link } from '@tanstack/react-router'
import type { ComponentProps, ReactNode } from 'react'

interface Props extends Pick<ComponentProps<'a'>, 'className' | 'style' | 'title' | 'tabIndex'> {
  /** Which servers; undefined where no query says it, and then it is no link. */
  readonly q: string | undefined
  readonly children?: ReactNode
}

/** To the list of the servers that a mark stands for. */
export function ServersLink({ q, children, ...others }: Props) {
  if (q === undefined) return <span {...others}>{children}</span>
  return (
    <Link to="/servers" search={q === '' ? {} : { q }} {...others}>
      {children}
    </Link>
  )
}
