# For a tap of one's own: homebrew-cask itself takes notarised apps only. The addresses are
# placeholders until there is a place to download from.
cask "cabochon" do
  version "0.1.0"
  sha256 :no_check # the release's SHA256SUMS has it

  url "https://example.org/cabochon/v#{version}/Cabochon-#{version}-arm64.zip"
  name "Cabochon"
  desc "Private chat with Gemma models, and a bench for prompts"
  homepage "https://example.org/cabochon"

  depends_on arch: :arm64
  depends_on macos: ">= :sonoma"

  app "Cabochon.app"
  binary "#{appdir}/Cabochon.app/Contents/MacOS/Cabochon", target: "cabochon"

  zap trash: [
    "~/Library/Application Support/Cabochon",
    "~/Library/Caches/Cabochon",
    "~/Library/Logs/Cabochon",
  ]
end
