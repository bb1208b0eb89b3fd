import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isPossibleOptOut } from '../../src/consent/possible-opt-out.ts'

const textsOf = (list: string) => list.split('/').map((text) => text.trim())

const optOuts = textsOf(`
  STOP / STOP. Đừng liên hệ với tôi nữa. / Unsubscribe / stop all messages to this number / don’t ever call or text me /
  I revoke my consent to be called. / I want to opt out / Take me off your list /
  I don't want to receive any more text messages / We never want to hear from you again /
  put me on your do not call list / OK thanks. Please stop. / You have the wrong number / Remove me /
  Please answer by e-mail only. / No phone calls. / Text me no more / I did not consent to this /
  You have called me and I never asked for it. / That was not me! / Solo por correo / Yo no fui /
  Not interested, please stop / leave me alone / You do not have my permission / Cease all contact with me /
  No me llamen más / Déjenme en paz / No más llamadas / No me hablen / Número equivocado / No consiento que me llamen /
  Eliminen mis datos / Dejen de enviarme mensajes / Ya no quiero recibir llamadas / Revoco mi consentimiento /
  Quítenme de su lista por favor / The customer does not want to be contacted any more. /
  Customer asks that we no longer contact her. / No further contact`)

const ordinary = textsOf(`
  Please stop by at noon. / Don't call the dog, he bites. / The bus stop is in front of the house /
  Please don't call before 9 am, I work nights / I have no email printer, just knock / Don't text while you drive :) /
  The cleaner never called me back / No calls before noon, text is fine /
  Please take the shoes off the list of things to clean / Remove the stains from the carpet /
  I want to cancel my appointment on Friday / No llamen al perro / No me llamen por la mañana /
  Quiten el polvo de la lista / We opt out of the window cleaning / I never asked for the key back /
  The vase: it was not me who broke it / Email only the invoice to my husband /
  My phone calls drop at home, no phone calls from the basement / Our HOA did not consent to parking here /
  Me pueden llamar después de las cinco`)

test('a text that may be an opt-out is marked, and an ordinary one is not', () => {
  for (const message of optOuts) assert(isPossibleOptOut({ message }), message)
  for (const notes of ordinary) assert(!isPossibleOptOut({ notes }), notes)
})
