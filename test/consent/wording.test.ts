import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isPossibleOptOut, optOutPhrases } from '../../src/consent/possible-opt-out.ts'

const textsOf = (list: string) => list.split('/').map((text) => text.trim())

const optOuts = textsOf(`
  STOP. Đừng liên hệ với tôi nữa. / stop all messages to this number / don’t ever call or text me / I dont want emails /
  I don't want to receive any more text messages / We never want to hear from you again / Please answer by e-mail only. /
  You have called me and I never asked for it. / I'd rather not be called / The customer doesn't want to be contacted /
  No me llamen más / Ya no quiero recibir llamadas / je ne veux plus être contacté / Arrêtez les messages`)

const ordinary = textsOf(`
  Please stop by at noon. / Do not let the cat out / The bus stop is in front of the house / Don't let the dog out, call /
  Please don't call before 9 am, I work nights / The cleaner never called me back / No calls before noon, text is fine /
  Please take the shoes off the list of things to clean / I want to cancel my appointment on Friday / Call me. / No rush /
  Stop at the gate and text me / Me pueden llamar después de las cinco / No dejen salir al gato / L'arrêt de bus`)

for (const [phrase, example = '', usual] of optOutPhrases) {
  test(`"${phrase}" marks "${example}"`, () => {
    assert(isPossibleOptOut({ message: `Hello. ${example.toUpperCase()}` }))
    if (usual) assert(!isPossibleOptOut({ notes: usual }), usual)
  })
}

test('a text that may be an opt-out is marked, and an ordinary one is not', () => {
  for (const message of optOuts) assert(isPossibleOptOut({ message }), message)
  for (const notes of ordinary) assert(!isPossibleOptOut({ notes }), notes)
})
