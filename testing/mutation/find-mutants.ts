import { parseSync } from 'oxc-parser'

export interface Mutant {
  readonly file: string
  readonly start: number
  readonly end: number
  /** The replacement text. */
  readonly text: string
  readonly line: number
}

interface Node {
  readonly type: string
  readonly start: number
  readonly end: number
  readonly [name: string]: unknown
}

const opposites: Readonly<Record<string, string>> = {
  '===': '!==',
  '!==': '===',
  '<': '<=',
  '<=': '<',
  '>': '>=',
  '>=': '>',
  '-': '+',
  '*': '/',
  '/': '*',
  '&&': '||',
  '||': '&&',
}
const oppositeMethods: Readonly<Record<string, string>> = {
  some: 'every',
  every: 'some',
  min: 'max',
  max: 'min',
}

const isNode = (value: unknown): value is Node =>
  typeof value === 'object' && value !== null && typeof (value as Node).type === 'string'

const childrenOf = (node: Node): readonly Node[] =>
  Object.values(node).flatMap((value) => (Array.isArray(value) ? value : [value]).filter(isNode))

/** The statements that only tell something, to a log or a trace, have no effect that a test should see. */
const isTelling = /^(?:super\(|(?:await |void )?(?:\w+\.)*(?:log|logger|onLog|debug|span|trace)\b)/

/** All mutants of a file. Each is a small, typical mistake. */
export function findMutants(file: string, source: string): readonly Mutant[] {
  const mutants: Mutant[] = []
  const textOf = ({ start, end }: Node) => source.slice(start, end)
  const replace = ({ start, end }: Pick<Node, 'start' | 'end'>, text: string) => {
    const line = source.slice(0, start).split('\n').length
    if (source.slice(start, end) !== text) mutants.push({ file, start, end, text, line })
  }
  /** The operator stands between its operands. */
  const replaceOperator = (left: Node, right: Node, operator: string, other: string) => {
    const start = source.indexOf(operator, left.end)
    if (start < right.start) replace({ start, end: start + operator.length }, other)
  }
  const isConcatenation = (nodes: readonly Node[]) =>
    nodes.some((node) => node.type === 'TemplateLiteral' || typeof node['value'] === 'string')

  function visit(node: Node): void {
    const { type } = node
    if (type.startsWith('TS') && !/^TS(?:As|Satisfies|NonNull)/.test(type)) return
    if (type === 'ImportDeclaration' || type === 'TemplateElement') return
    if (type === 'IfStatement' || type === 'ConditionalExpression') {
      for (const text of ['true', 'false']) replace(node['test'] as Node, text)
    }
    if (type === 'BinaryExpression' || type === 'LogicalExpression') {
      const [left, right] = [node['left'] as Node, node['right'] as Node]
      const operator = node['operator'] as string
      const opposite = opposites[operator]
      if (operator === '??') replace(node, textOf(left))
      else if (operator === '+' && !isConcatenation([left, right]))
        replaceOperator(left, right, '+', '-')
      else if (opposite !== undefined) replaceOperator(left, right, operator, opposite)
    }
    if (type === 'UnaryExpression' && node['operator'] === '!')
      replace(node, textOf(node['argument'] as Node))
    if (type === 'ExpressionStatement' && !isTelling.test(textOf(node)) && !node['directive'])
      replace(node, ';')
    if (type === 'ThrowStatement') replace(node, ';')
    if (type === 'Literal') {
      const { value } = node
      if (typeof value === 'boolean') replace(node, String(!value))
      if (typeof value === 'number') replace(node, String(value + 1))
    }
    if (type === 'ArrayExpression') {
      const elements = node['elements'] as Node[]
      if (
        elements.length > 1 &&
        elements.every((element) => typeof element?.['value'] === 'string')
      ) {
        for (const removed of elements) {
          const kept = elements.filter((element) => element !== removed)
          replace(node, `[${kept.map(textOf).join(', ')}]`)
        }
      }
    }
    if (type === 'CallExpression') {
      const callee = node['callee'] as Node
      const property = callee['property'] as Node | undefined
      const name = property && textOf(property)
      if (property && name !== undefined && Object.hasOwn(oppositeMethods, name))
        replace(property, oppositeMethods[name] as string)
      if (name === 'filter') replace(node, textOf(callee['object'] as Node))
    }
    for (const child of childrenOf(node)) visit(child)
  }

  const { program, errors } = parseSync(file, source)
  if (errors.length > 0) throw new Error(`${file} does not parse`)
  visit(program as unknown as Node)
  return mutants
}
