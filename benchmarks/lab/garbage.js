// A server that keeps so many MB of small objects, and makes so many in each request, of which it keeps a tenth.
const [port, mb, made] = process.argv.slice(2).map(Number);
const make = (n) => ({ number: n, list: [n, n + 1, n + 2] });
const kept = Array.from({ length: mb << 13 }, (_, n) => make(n));
let at = 0;
require("http").createServer((request, response) => {
  for (let n = 0; n < made; n++) {
    const object = make(n);
    if (n % 10 === 0) kept[(at += 7) % kept.length] = object;
  }
  response.end("x".repeat(1000));
}).listen(port, "127.0.0.1");
