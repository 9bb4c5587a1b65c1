# Completion of paycli for PowerShell.
#
# The words of the line are neither expanded nor run. paycli gets them on its standard input, where no other user of
# the machine sees them. Where it offers nothing, PowerShell offers files itself.

Register-ArgumentCompleter -Native -CommandName 'paycli' -ScriptBlock {
  param([string] $wordToComplete, $commandAst, [int] $cursorPosition)
  $program = Get-Command -Name paycli -CommandType Application -ErrorAction SilentlyContinue | Select-Object -First 1
  if ($null -eq $program) { return }
  # The text of the elements as it was typed; none of it is evaluated.
  $words = @($commandAst.CommandElements |
    Select-Object -Skip 1 |
    Where-Object { $_.Extent.EndOffset -lt $cursorPosition } |
    ForEach-Object { $_.Extent.Text }) + @($wordToComplete)
  foreach ($line in ($words | & $program __complete 2>$null)) {
    if ($line -ceq '@file') { continue }
    $name, $about = $line.Split([char[]] "`t", 2)
    if ([string]::IsNullOrEmpty($about)) { $about = $name }
    [System.Management.Automation.CompletionResult]::new($name, $name, 'ParameterValue', $about)
  }
}
