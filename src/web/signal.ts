import { Component, type VNode, options } from 'preact'
import { useState } from 'preact/hooks'

/** A value that components show: what reads it while it is drawn is drawn again when it changes. */
export interface Signal<T> {
  value: T
}

/** In place of a library of six times its size, which would be a twentieth of all that is loaded. */
export function signal<T>(first: T): Signal<T> {
  let now = first
  const readers: Readers = new Set()
  return {
    get value() {
      if (drawn !== undefined) {
        readers.add(drawn)
        drawn.read = (drawn.read ?? new Set()).add(readers)
      }
      return now
    },
    set value(next) {
      if (next === now) return
      now = next
      for (const reader of readers) reader.setState({})
    },
  }
}

/** A signal of one component, which hands it on to those below. */
export function useSignal<T>(first: T): Signal<T> {
  return useState(() => signal(first))[0]
}

type Readers = Set<Reader>
interface Reader extends Component {
  /** Where it has to be forgotten when it is gone. */
  read?: Set<Readers>
}

/** The component that is being drawn. */
let drawn: Reader | undefined

/** By these names Preact's libraries know what is called before a component is drawn, and the component of a node. */
const [DRAWING, COMPONENT] = ['__r', '__c'] as const
type Drawn = VNode & { readonly [COMPONENT]?: Reader }

const hooks = options as typeof options & { [DRAWING]?: (node: Drawn) => void }
const others = { ...hooks }
hooks[DRAWING] = node => {
  others[DRAWING]?.(node)
  drawn = node[COMPONENT]
}
hooks.diffed = node => {
  others.diffed?.(node)
  drawn = undefined
}
hooks.unmount = (node: Drawn) => {
  others.unmount?.(node)
  for (const readers of node[COMPONENT]?.read ?? []) readers.delete(node[COMPONENT]!)
}

/** What is given the same again is not drawn again. */
Component.prototype.shouldComponentUpdate = function isOther(props, state) {
  const before = this.props as Readonly<Record<string, unknown>>
  const after = props as Readonly<Record<string, unknown>>
  return (
    state !== this.state || Object.keys({ ...before, ...after }).some(name => before[name] !== after[name])
  )
}
