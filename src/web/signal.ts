import { Component, type VNode, options } from 'preact'
import { useState } from 'preact/hooks'

/** A value that components show: what reads it while it is drawn is drawn anew when it changes. */
export interface Signal<T> {
  value: T
}

/** In place of a library of twenty times its size, which would be a twentieth of all that is loaded. */
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

/** Called before a component is drawn; as libraries know it, for whose sake it keeps its name. */
interface Hooks {
  __r?: (node: Drawn) => void
}
type Drawn = VNode & { readonly __c?: Reader }

const hooks = options as Hooks
const { __r: beforeDrawing } = hooks
const { diffed, unmount } = options
hooks.__r = node => {
  beforeDrawing?.(node)
  drawn = node.__c
}
options.diffed = node => {
  diffed?.(node)
  drawn = undefined
}
options.unmount = (node: Drawn) => {
  unmount?.(node)
  for (const readers of node.__c?.read ?? []) readers.delete(node.__c!)
}

/** What is given the same again is not drawn again. */
Component.prototype.shouldComponentUpdate = function isOther(props, state) {
  const before = this.props as Readonly<Record<string, unknown>>
  const after = props as Readonly<Record<string, unknown>>
  return (
    state !== this.state || Object.keys({ ...before, ...after }).some(name => before[name] !== after[name])
  )
}
