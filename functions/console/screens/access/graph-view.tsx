import { Fragment, type KeyboardEvent, useState } from 'react'
import { Link } from 'wouter'
import { Icon } from '../../parts/icons.tsx'
import { ShownText } from '../../parts/shown-text.tsx'
import { Time } from '../../parts/time.tsx'
import { texts } from '../../texts/texts.ts'
import { type Graph, type Layer, layers, linesBetween, type Node, onPathsOf } from './graph.ts'

/** Number of nodes of a layer from which the rest is folded into a count. */
const foldedFrom = 50

/** Height of a node with its gap, and width of the lines between two layers, in pixels as in the style sheet. */
const step = 48
const gap = 40

const linePath = (from: number, to: number): string => {
  const [y1, y2] = [from * step + step / 2, to * step + step / 2]
  return `M0 ${y1}C${gap / 2} ${y1} ${gap / 2} ${y2} ${gap} ${y2}`
}

/** Moves the focus within a column by up and down, and to the same path in the next column by left and right. */
function moveFocus(event: KeyboardEvent<HTMLElement>): void {
  const columns = [...event.currentTarget.querySelectorAll('ul')].map((list) => [
    ...list.querySelectorAll<HTMLElement>('a, button'),
  ])
  const column = columns.findIndex((items) => items.includes(document.activeElement as HTMLElement))
  const items = columns[column]
  if (!items) return
  const index = items.indexOf(document.activeElement as HTMLElement)
  const inColumn = (to: number) => columns[to]?.find((item) => item.classList.contains('on-path')) ?? columns[to]?.[0]
  const targets: Record<string, HTMLElement | undefined> = {
    ArrowDown: items[index + 1],
    ArrowUp: items[index - 1],
    ArrowRight: inColumn(column + 1),
    ArrowLeft: inColumn(column - 1),
    Home: items[0],
    End: items.at(-1),
  }
  if (!(event.key in targets)) return
  event.preventDefault()
  targets[event.key]?.focus()
}

type Props = { graph: Graph; addressOf: (node: Node) => string }

/** Access as columns of links with lines between them. A focused or hovered node highlights its paths. */
export function GraphView({ graph, addressOf }: Props) {
  const [selected, setSelected] = useState<string | null>(null)
  const [unfolded, setUnfolded] = useState<Partial<Record<Layer, number>>>({})
  const countOf = (layer: Layer) => unfolded[layer] ?? foldedFrom
  const shown = Object.fromEntries(layers.map((layer) => [layer, countOf(layer)])) as Record<Layer, number>
  const onPath = onPathsOf(graph, selected)
  const rows = Math.max(...layers.map((layer) => Math.min(graph.nodes[layer].length, shown[layer] + 1)))
  const summary = layers.map((layer) => {
    const nodes = graph.nodes[layer]
    return texts.counted(layer, onPath ? nodes.filter(({ key }) => onPath.has(key)).length : nodes.length)
  })
  const selectedNode = layers.flatMap((layer) => graph.nodes[layer]).find(({ key }) => key === selected)
  const classOf = (key: string) => `node${onPath ? (onPath.has(key) ? ' on-path' : ' off-path') : ''}`
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: the links in it have the focus
    <div
      className="graph"
      onKeyDown={moveFocus}
      onMouseLeave={() => setSelected(null)}
      onBlur={({ relatedTarget, currentTarget }) => !currentTarget.contains(relatedTarget) && setSelected(null)}
    >
      {layers.map((layer, index) => {
        const next = layers[index + 1]
        const rest = graph.nodes[layer].slice(shown[layer])
        return (
          <Fragment key={layer}>
            <section>
              <h2>{texts.many(layer)}</h2>
              <ul aria-label={texts.many(layer)}>
                {graph.nodes[layer].slice(0, shown[layer]).map((node) => (
                  <li key={node.key}>
                    <Link
                      href={addressOf(node)}
                      className={classOf(node.key)}
                      onFocus={() => setSelected(node.key)}
                      onMouseEnter={() => setSelected(node.key)}
                    >
                      <span>
                        <ShownText text={node.name} />
                      </span>
                      {node.note && (
                        <span className="minor">
                          <ShownText text={node.note} />
                        </span>
                      )}
                      {node.noteTime && (
                        <span className="minor">
                          {texts.explorer.until} <Time value={node.noteTime} />
                        </span>
                      )}
                    </Link>
                  </li>
                ))}
                {rest.length > 0 && (
                  <li>
                    <button
                      type="button"
                      className="node folded"
                      onClick={() => setUnfolded({ ...unfolded, [layer]: shown[layer] + foldedFrom })}
                    >
                      {texts.explorer.folded(rest.length, onPath && rest.filter(({ key }) => onPath.has(key)).length)}
                      <Icon name="down" />
                    </button>
                  </li>
                )}
              </ul>
            </section>
            {next && (
              <svg className="lines-between" width={gap} height={rows * step} aria-hidden="true" focusable="false">
                {linesBetween(graph, [layer, next], selected, shown).map(({ from, to, isOnPath }) => (
                  <path
                    key={`${from} ${to}`}
                    d={linePath(from, to)}
                    className={onPath ? (isOnPath ? 'on-path' : 'off-path') : undefined}
                  />
                ))}
              </svg>
            )}
          </Fragment>
        )
      })}
      <p className="minor graph-summary" role="status">
        {selectedNode && (
          <>
            <ShownText text={selectedNode.name} />:{' '}
          </>
        )}
        {texts.joined(summary)}
      </p>
    </div>
  )
}
