import * as v from 'valibot'

export const logoTexts = {
  url: 'Address of the logo.',
  data: 'The logo itself, as text.',
  type: 'Media type of the logo.',
}

/** As it is shown: with all its keys. */
export const V0Logo = v.object({
  url: v.nullable(v.pipe(v.string(), v.description(logoTexts.url))),
  data: v.nullable(v.pipe(v.string(), v.description(logoTexts.data))),
  type: v.nullable(v.pipe(v.string(), v.description(logoTexts.type))),
})
export type Logo = v.InferOutput<typeof V0Logo>
