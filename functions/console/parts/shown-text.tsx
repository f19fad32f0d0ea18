import { Fragment } from 'react'
import { piecesOf } from './characters.ts'

/** Shows a text that another system wrote: isolated from its surroundings, with hidden characters as code points (K4.2). */
export function ShownText({ text }: { text: string }) {
  return (
    <bdi>
      {piecesOf(text).map((piece, index) => {
        const key = `${index} ${piece.text}`
        return piece.isCode ? (
          <code className="code-point" key={key}>
            {piece.text}
          </code>
        ) : (
          <Fragment key={key}>{piece.text}</Fragment>
        )
      })}
    </bdi>
  )
}
